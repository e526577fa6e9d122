// The whole fragment cost of a depth pass over ground with holes; without holes there is no fragment stage.
#include "atlas.hlsl"

void main(float4 position : SV_Position, float2 place : PLACE)
{
    if (is_hole_at(place))
        discard;
}
