"""Models queried over the network, through litellm."""
