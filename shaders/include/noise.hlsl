// Noise that neighbours do not share (Jimenez, *Next Generation Post Processing in Call of Duty: Advanced Warfare*, 2014).
#ifndef LANDFORM_NOISE
#define LANDFORM_NOISE

// Of a pixel: its fraction is the noise, 0…1, with whatever is added before it is taken.
float gradient_noise(float2 pixel)
{
    return 52.9829189 * frac(dot(pixel, float2(0.06711056, 0.00583715)));
}

#endif
