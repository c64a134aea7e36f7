"""Running untrusted code: warm fork servers, one for each framework. Whether a program is right is not its business."""
