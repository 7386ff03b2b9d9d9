// Marks what the library shows to the outside; everything else stays hidden.
#pragma once

#define HL_EXPORT extern "C" __attribute__((visibility("default")))
