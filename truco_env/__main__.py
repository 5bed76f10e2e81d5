"""``python -m truco_env`` is the program ``truco``."""

from truco_env.program.main import main

if __name__ == "__main__":
    raise SystemExit(main())
