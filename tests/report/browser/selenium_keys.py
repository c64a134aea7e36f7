"""Names of keys, available even without selenium."""


class Keys:
    ARROW_DOWN, ARROW_LEFT, ARROW_RIGHT = "\ue015", "\ue012", "\ue014"
    ENTER, ESCAPE = "\ue007", "\ue00c"
