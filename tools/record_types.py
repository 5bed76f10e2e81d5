"""The types of records for the type checker, ``truco_env/engine/record_types.py``: one protocol for each dtype."""

from __future__ import annotations

from typing import Final

import numpy as np

from truco_env.engine.record import GAME_DTYPE
from truco_env.engine.rules_record import RULES_DTYPE

_INTRO = '''"""The fields of records for the type checker, which knows no dtypes: a misspelt field fails ``make types``.

Written by ``make docs`` (``tools/record_types.py``) from the dtypes; a test checks that it is up to date.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
'''
_RECORDS: Final = {
    "GameRecord": ("One game, as rules see it (``record.GAME_DTYPE``).", GAME_DTYPE),
    "RulesRecord": ("The rules of a table, as rules see them (``rules_record.RULES_DTYPE``).", RULES_DTYPE),
}


def print_types() -> str:
    """Return the module as text."""
    return _INTRO + "".join(_protocol(name, meaning, dtype) for name, (meaning, dtype) in _RECORDS.items())


def _protocol(name: str, meaning: str, dtype: np.dtype[np.void]) -> str:
    fields = [f"    {field}: {_type_of(dtype[field])}\n" for field in dtype.names or ()]
    return f'\n\nclass {name}(Protocol):\n    """{meaning}"""\n\n' + "".join(fields)


def _type_of(field: np.dtype[np.void]) -> str:
    if field.subdtype is not None:
        return f"npt.NDArray[np.{field.subdtype[0].name}]"
    if field == np.uint64:
        return "Any"  # a plain int when it is set, and 64 bits that wrap around when it is used
    return "float" if field == np.float64 else "int"
