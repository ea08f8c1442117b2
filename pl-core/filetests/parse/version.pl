; parse as it stands
; A text without its version. The first line that is not a comment is where the version is missed.
InCore fn no_version() { ; error: expected `pl` and the version, found `InCore`
}
---
pl 2 ; error: version 2 of the text form is unknown, expected 1
InCore fn newer() {
}
---
pl 1
InCore fn right() {
}
