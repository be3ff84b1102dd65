"""The studies of "Can Large Language Models Predict Parallel Code Performance?" made again.

RQ1 (``roofline_questions``), RQ2 and RQ3 (``classification``), RQ4 (``fine_tuning``) and question
decomposition (``decomposition``), with the static analyser as one more row beside the published
figures (``published``). Models are asked by way of ``interview`` alone, which keeps every answer.
"""
