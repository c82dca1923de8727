"""Alerts: causes that the facts of the graph show, each sent once, with owners and everything downstream."""
