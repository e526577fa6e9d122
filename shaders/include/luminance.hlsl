// The brightest that each pass leaves in a target of luminance, cd/m².
#ifndef LANDFORM_LUMINANCE
#define LANDFORM_LUMINANCE

// Half precision ends at 65504, and three of them add up in one target.
static const float MOST_LIT = 40000.0;
static const float MOST_ADDED = 12000.0;
// What is alone in its pixel.
static const float MOST_ALONE = 60000.0;

#endif
