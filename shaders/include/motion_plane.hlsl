// What the motion plane holds, in parts of the viewport: x right, y down. What is here now was at `here - motion`.
#ifndef LANDFORM_MOTION_PLANE
#define LANDFORM_MOTION_PLANE

// Further than this nothing that was drawn lies.
static const float FARTHEST = 4.0;

#endif
