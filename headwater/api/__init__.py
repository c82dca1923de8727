"""The HTTP dialects: routes and views. Nothing else knows their JSON."""
