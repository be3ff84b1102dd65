"""Sources in a column of a Parquet file, written out as files."""

from __future__ import annotations

from typing import IO, Any, Final
from urllib.parse import quote

from roofline_lsp.batch.inputs.address import InputAddress, InputError, TableColumns
from roofline_lsp.batch.inputs.tree_writer import TreeWriter

_ROWS_AT_A_TIME: Final = 256
_MOST_CONTAINERS: Final = 1_000_000
"""The most strings and lists in the table's own description."""
_MOST_STRING_BYTES: Final = 16_000_000


def take_rows(file: IO[bytes], address: InputAddress, writer: TreeWriter) -> None:
    """Write the rows of a table. Raises InputError for one without the columns."""
    columns = address.columns
    assert columns is not None
    try:
        from pyarrow import ArrowException, parquet  # noqa: PLC0415 - takes long to import
    except ImportError:
        raise InputError(
            f"{address.text}: needs pyarrow: pip install 'roofline-lsp[distributed]'"
        ) from None
    try:
        table = parquet.ParquetFile(
            file,
            thrift_string_size_limit=_MOST_STRING_BYTES,
            thrift_container_size_limit=_MOST_CONTAINERS,
        )
        named = [name for name in (columns.text, columns.path, columns.project) if name]
        _check(table.schema_arrow.names, named, address.text)
        row = 0
        for batch in table.iter_batches(batch_size=_ROWS_AT_A_TIME, columns=named):
            texts, *others = (batch.column(batch.schema.get_field_index(name)) for name in named)
            for index in range(batch.num_rows):
                values = [texts[index].as_py(), *(other[index].as_py() for other in others)]
                _take_row(row, values, columns, writer)
                row += 1
    except ArrowException as error:
        raise InputError(f"{address.text}: cannot be read: {error}") from None


def _check(there: list[str], named: list[str], told: str) -> None:
    missing = [name for name in named if name not in there]
    if missing:
        columns = ", ".join(there)
        raise InputError(f"{told}: there is no column '{missing[0]}'; there are {columns}")


def _take_row(row: int, values: list[Any], columns: TableColumns, writer: TreeWriter) -> None:
    text, *names = values
    if text is None:
        return
    if not isinstance(text, str | bytes):
        raise InputError(f"column '{columns.text}' has values that are no texts")
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    writer.put(_name(row, names, columns), lambda most: data[:most])


def _name(row: int, names: list[Any], columns: TableColumns) -> str:
    """The path of a row's file below the folder of the table."""
    alone = f"row-{row}{columns.suffix}"
    if columns.path is None:
        return f"row-{row}/source{columns.suffix}"
    path = str(names[0]) if names[0] else alone
    if columns.project is None:
        return path
    return f"{quote(str(names[1] or '-'), safe='')}/{path}"
