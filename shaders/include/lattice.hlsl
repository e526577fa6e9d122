// The one lattice. Twin: src/lod/lattice.rs.
#ifndef LANDFORM_LATTICE
#define LANDFORM_LATTICE

// The even index that an odd one slides onto: 4k±1 → 4k. The checker of diagonals then collapses onto itself.
uint slide_target(uint index)
{
    return (index & 1) == 0 ? index : (index + 1) & ~3u;
}

float slide(uint index, float morph)
{
    float from = float(index);
    precise float slid = from + (float(slide_target(index)) - from) * morph;
    return slid;
}

#endif
