"""Steps, computed by a worker, of nodes that the service computes; none of them is in the catalog. They are
found by their type, like nodes.
"""
