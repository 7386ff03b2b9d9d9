// The hash of the sources this library was compiled from, for whoever asks whether it is up to date.
#include "export.hpp"

HL_EXPORT const char hl_sources[] = "handloom-sources:" HANDLOOM_SOURCES;
