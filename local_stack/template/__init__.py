"""The synthesized template: its resources, properties and expressions."""
