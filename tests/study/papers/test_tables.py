"""Tables as text, Markdown, CSV and drawings; the published figures in them."""

from __future__ import annotations

import csv
import io
from xml.etree import ElementTree as ET

import pytest

from roofline_study.bootstrap import Interval
from roofline_study.papers.class_table import COLUMNS, accuracy_svg
from roofline_study.papers.classification import FEW_SHOT, ZERO_SHOT, classification_table
from roofline_study.papers.fine_tuning import tuning_table
from roofline_study.papers.published import published
from roofline_study.papers.rq1 import roofline_table
from roofline_study.papers.scores import ClassAnswers, RowKind, Subject
from roofline_study.papers.table import (
    Form,
    ResultColumn,
    ResultTable,
    WithInterval,
    as_csv,
    as_markdown,
    as_text,
)

from .conftest import BB, CB

TABLE = ResultTable(
    "Title",
    (
        ResultColumn("who", "who", Form.WORDS),
        ResultColumn("share", "share %", Form.SHARE, ranged=True),
        ResultColumn("other", "other", Form.RATIO, ranged=True, interval_shown=False),
        ResultColumn("nothing", "nothing", Form.COUNT),
        ResultColumn("amount", "amount", Form.AMOUNT),
        ResultColumn("dollars", "$", Form.DOLLARS),
    ),
    (
        (
            "a|b",
            WithInterval(0.64123, Interval(0.5, 0.75)),
            WithInterval(0.5, Interval(0.25, 1.0)),
            *(None, 16779307.0, 0.125),
        ),
        ("c", WithInterval(1.0, None), None, None, 0.25, None),
    ),
    ("A note.",),
)

MODEL = ClassAnswers(
    "some-model",
    RowKind.MODEL,
    {Subject("1", "1", CB): (CB,), Subject("2", "2", BB): (CB,)},
    1.5,
)


def test_text() -> None:
    assert as_text([TABLE]) == (
        "Title\n"
        "\n"
        "  who               share %  other      amount     $\n"
        "  a|b  64.12 [50.00, 75.00]  0.500  16,779,307  0.12\n"
        "  c                  100.00               0.25\n"
        "\n"
        "A note.\n"
    )


def test_markdown() -> None:
    assert as_markdown([TABLE]) == (
        "**Title**\n"
        "\n"
        "| who | share % | other | amount | $ |\n"
        "| --- | ---: | ---: | ---: | ---: |\n"
        "| a\\|b | 64.12 [50.00, 75.00] | 0.500 | 16,779,307 | 0.12 |\n"
        "| c | 100.00 |  | 0.25 |  |\n"
        "\n"
        "A note.\n"
    )


def test_names_are_shown_as_they_are() -> None:
    columns = (ResultColumn("k", "k", Form.WORDS),)
    table = ResultTable("T", columns, (("f<int *>\n`x`",), ("[a](command:b)",), ("a[1, 2]",)))
    assert as_markdown([table]).splitlines()[4:] == [
        r"| f\<int \*\> \`x\` |",
        r"| \[a](command:b) |",
        "| a[1, 2] |",
    ]
    assert as_text([table]).splitlines()[3] == "  f<int *> `x`"


def test_csv_has_every_column_and_interval() -> None:
    assert as_csv([TABLE]) == (
        "who,share,share_low,share_high,other,other_low,other_high,nothing,amount,dollars\n"
        "a|b,0.64123,0.5,0.75,0.5,0.25,1,,16779307,0.125\n"
        "c,1,,,,,,,0.25,\n"
    )


def test_several_tables_in_one_csv_are_named() -> None:
    lines = as_csv([TABLE, TABLE]).splitlines()
    assert lines[0].startswith("table,who,")
    assert [line.split(",")[0] for line in lines[1:]] == ["Title"] * 4


@pytest.mark.parametrize(
    ("study", "best", "count"), [(ZERO_SHOT, "64.12", 9), (FEW_SHOT, "63.53", 9)]
)
def test_published_accuracies_stand_beside_ours(study: str, best: str, count: int) -> None:
    table = classification_table(study, [MODEL], ["More."])
    kinds = [row[1] for row in table.rows]
    assert kinds == ["published"] * count + ["model"]
    rows = list(csv.DictReader(io.StringIO(as_csv([table]))))
    assert f"{100 * float(rows[0]['accuracy']):.2f}" == best
    assert rows[0]["asked_about"] == "340"
    ours = rows[-1]
    assert (ours["answered_by"], ours["accuracy"], ours["cost_dollars"]) == (
        "some-model",
        "0.5",
        "1.5",
    )
    assert (ours["precision"], ours["recall"], ours["share_bb_as_cb"]) == ("0.5", "1", "0.5")
    assert table.notes[-1] == "More."


def test_wilson_intervals_of_published_accuracies() -> None:
    row = classification_table(ZERO_SHOT, []).rows[0]
    held = row[[column.key for column in COLUMNS].index("accuracy")]
    assert isinstance(held, WithInterval)
    assert held.interval is not None
    # Of 340 kernels 218 were right.
    assert (held.interval.low, held.interval.high) == pytest.approx((0.5889, 0.6903), abs=1e-4)


def test_roofline_questions_have_two_rows_for_each_model_that_was_asked() -> None:
    names = [row[0] for row in roofline_table([]).rows]
    assert len(names) == 14
    assert "gpt-4o-mini, chain of thought" in names
    assert "o1" not in names


def test_the_published_confusion_of_fine_tuning() -> None:
    first, second = csv.DictReader(io.StringIO(as_csv([tuning_table([])])))
    assert float(first["accuracy"]) == pytest.approx(0.5441)
    assert float(first["precision"]) == pytest.approx(24.51 / 44.61)
    assert float(first["recall"]) == pytest.approx(24.51 / 50)
    assert float(first["share_cb_as_bb"]) == pytest.approx(0.2549)
    assert (second["accuracy"], second["recall"], second["mcc"]) == ("0.5", "1", "")


def test_every_published_figure_has_a_source() -> None:
    found = published()
    assert found.source == "HPDC 2025"
    assert (len(found.models), len(found.decomposed), found.kernels) == (9, 5, 340)


def test_a_drawing_is_xml_with_a_dot_for_each_row() -> None:
    table = classification_table(ZERO_SHOT, [ClassAnswers("<&>", RowKind.MODEL, MODEL.given)])
    root = ET.fromstring(accuracy_svg(table))
    space = "{http://www.w3.org/2000/svg}"
    dots = root.findall(f"{space}circle")
    assert len(dots) == 10
    assert [dot.get("fill") for dot in dots[-2:]] == ["#8c8c8c", "#0072b2"]
    texts = [text.text for text in root.findall(f"{space}text")]
    assert "<&>" in texts
    assert "50.00" in texts
    # The dot at 50% is in the middle of the scale from 290 to 790.
    assert dots[-1].get("cx") == "540.0"
