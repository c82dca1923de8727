"""The whole stack on one machine: the synthesized template on moto, the same handlers, an HTTP port."""
