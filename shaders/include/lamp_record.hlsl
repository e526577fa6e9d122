// A lamp as everything on the device reads it. The Rust side is `abi`; tests/abi.rs compares every offset.
#ifndef LANDFORM_LAMP_RECORD
#define LANDFORM_LAMP_RECORD

struct LampRecord
{
    float3 position;    // metres from the camera
    float range;        // metres at which its light ends
    float3 intensity;   // candela
    float cos_outer;    // -2 for a lamp that shines all around
    float3 toward;      // unit vector that a spot shines toward
    float inverse_cone; // one over how much the cosine grows from the outer to the inner angle
};

#endif
