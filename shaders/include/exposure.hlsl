// What the two halves of a meter share: what is counted where, and what a frame says.
#ifndef LANDFORM_EXPOSURE
#define LANDFORM_EXPOSURE

// Counts a bin; of what fell into it how far it lay above the bin's beginning, in parts of 255, summed; the exposure value; and what
// is known of it.
[[vk::binding(BINDING_EXPOSURE_WORDS, SET)]] RWStructuredBuffer<uint> words;

[[vk::push_constant]] cbuffer ExposureConstants
{
    uint4 sampled; // texels across and down, texels between two samples, where the host finds what was found
    float4 bounds; // lowest and highest exposure value, what is added, how much of a change of light is followed
    float4 pace;   // exposure values up and down in this frame, what nothing metered is exposed for, 1 to take what is metered at once
};

static const uint WORD_EV100 = 2 * EXPOSURE_BINS;
static const uint WORD_STATE = WORD_EV100 + 1;

// log2 of cd/m². A millionth is about the least that an eye sees in the dark, and a million is brighter than any ground: what is darker
// says nothing, and what is brighter is as if it were that.
static const float DARKEST_BIN = -20.0;
static const float BRIGHTEST_BIN = 20.0;
static const float BINS_A_VALUE = EXPOSURE_BINS / (BRIGHTEST_BIN - DARKEST_BIN);

// Parts of a bin that are told apart.
static const float PARTS = 255.0;

#endif
