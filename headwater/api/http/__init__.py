"""HTTP apart from any route: requests, parameters, responses, errors, cursors, links."""
