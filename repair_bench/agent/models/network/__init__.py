"""Models asked over the network, through litellm."""
