"""The environments: thin layers over the engine. PettingZoo's is in ``aec``, Gymnasium's in ``single`` and ``vector``."""
