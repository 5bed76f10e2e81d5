"""``python -m truco_env.cases PATH...`` runs case and trace files (see ``truco_env.conformance``)."""

from truco_env.conformance.cases import main

if __name__ == "__main__":
    raise SystemExit(main())
