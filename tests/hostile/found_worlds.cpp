// Worlds that once broke a promise, shortened: what no simpler test shows. Kept for good.
#include "script.h"

namespace hostile {

std::vector<FoundWorld> found_worlds() {
    return {
        {"a projection that fails behind an impact leaves the state from before it, not a NaN",
         {
             {Action::CreateBody, 14003908971870214273u},  {Action::CreateBody, 17535861816004511451u},
             {Action::CreateJoint, 1857807314438639941u},  {Action::CreateBody, 1438158155760844629u},
             {Action::CreateJoint, 8872069803140069038u},  {Action::CreateBody, 2711834718837500930u},
             {Action::CreateJoint, 10975880832710480483u}, {Action::CreateBody, 10557194410738961467u},
             {Action::CreateJoint, 2257188144808577306u},  {Action::CreateBody, 5797736598568207374u},
             {Action::CreateJoint, 4393442290001186781u},  {Action::AddField, 3810561435007224585u},
             {Action::Advance, 1981098805988273934u},      {Action::CreateJoint, 8272142232761812782u},
             {Action::CreateBody, 8291802324768638087u},   {Action::ChangeSettings, 13079026293677761362u},
             {Action::CreateBody, 13967157164486506156u},  {Action::Advance, 5895431611397746429u},
             {Action::Advance, 16990215014708170u},        {Action::AdvanceTwice, 1690062481111434906u},
             {Action::DestroyBody, 17601663420477319677u}, {Action::Advance, 18318416788586635120u},
         }},
    };
}

} // namespace hostile
