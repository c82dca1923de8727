"""Connectors of ours, each for one system; `registry` names them, and loads them as it does those of other packages."""
