"""Steps of nodes that the service itself computes; none of them is in the catalog. Found by their type, as
nodes are.
"""
