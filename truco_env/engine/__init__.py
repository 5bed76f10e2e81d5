"""The rules of Truco as compiled functions over one game's record; the only place that knows them."""
