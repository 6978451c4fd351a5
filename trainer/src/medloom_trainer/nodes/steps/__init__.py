"""Steps of nodes that the service itself requests; none of them is in the catalog. They are found by their
type, like nodes.
"""
