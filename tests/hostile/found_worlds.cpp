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
        {"joints that only measure and contacts in one island: the contact solver writes into no memory of others",
         {
             {Action::CreateBody, 9141248235962792370u},
             {Action::CreateSpecialBody, 2246938074639761632u},
             {Action::CreateBody, 3895648068911121528u},
             {Action::CreateSpecialJoint, 10205076427367636967u},
             {Action::Advance, 15405314122060726710u},
             {Action::Advance, 10926961751069399042u},
             {Action::AddLibraryField, 2860186354328913083u},
             {Action::Advance, 7632862101502614130u},
         }},
        {"a drive along a coordinate that is not a number comes to an end",
         {
             {Action::ChangeWorld, 2151400992506566970u},
             {Action::CreateBody, 17678842243497126611u},
             {Action::CreateBody, 10507770595773694144u},
             {Action::CreateSpecialJoint, 16682491384038854827u},
             {Action::AddLibraryField, 16102544638097216253u},
             {Action::RepeatJoint, 13784604810194909578u},
             {Action::CreateSpecialBody, 10667157118728841959u},
             {Action::CreateActuatedJoint, 6439348235400403555u},
             {Action::OddInput, 564114333102387314u},
             {Action::AddLibraryField, 6833831850292246523u},
             {Action::ChangeBody, 7762847307457730364u},
             {Action::Advance, 1870041938873569395u},
         }},
        {"a snapshot taken when a field with a switch came, after the last step, is taken back",
         {
             {Action::CreateBody, 17146877070824583018u},
             {Action::Advance, 15959633193653531241u},
             {Action::AddLibraryField, 17395526219779491151u},
             {Action::OddInput, 15155866324004882167u},
         }},
        {"a snapshot taken when the ledger has got another size since the last step is taken back",
         {
             {Action::CreateBody, 2114146066760625150u},
             {Action::Replay, 11198763135473246119u},
             {Action::SwitchLedger, 7974374386974746426u},
             {Action::Replay, 9684083361339469184u},
         }},
        {"the same where a field went",
         {
             {Action::CreateBody, 10114117652854834680u},
             {Action::AddLibraryField, 13970124788236171000u},
             {Action::Advance, 11192945628045636651u},
             {Action::RemoveField, 17251110125614244469u},
             {Action::OddInput, 3246376524827696731u},
         }},
        {"where symplectic_euler_doubling runs ahead, what it hands out has closed joints",
         {
             {Action::CreateBody, 18203263057765419615u},
             {Action::CreateSpecialBody, 3821249337646599278u},
             {Action::CreateJoint, 7957245340243480170u},
             {Action::Advance, 7363573214950265207u},
         }},
        {"the ledger changes no bit of an island that stays while others are found anew",
         {
             {Action::ChangeSettings, 11678314431378397724u},
             {Action::CreateBody, 17069997123732205928u},
             {Action::CreateSpecialBody, 2886946668172982529u},
             {Action::CreateBody, 5482688174198937238u},
             {Action::CreateJoint, 2459722053212908994u},
             {Action::Advance, 4714175744898637086u},
         }},
        {"a world assembled by finalize saves the same bytes once it was restored",
         {
             {Action::CreateBody, 3132158682287021638u},
             {Action::CreateBody, 14251118500436964050u},
             {Action::CreateSpecialJoint, 2039295351039151390u},
             {Action::AdvanceTwice, 586398501646103382u},
             {Action::Finalize, 13696217103172032693u},
             {Action::Replay, 11074104256248898300u},
         }},
        {"a body whose mass or moments have no inverse is refused",
         {
             {Action::OddInput, 9548918557984867193u},
         }},
        {"a snapshot taken when a method of velocity steps took over from one that watches switches is taken back",
         {
             {Action::CreateSpecialBody, 1290725386689405850u},
             {Action::CloseBooks, 6300697433798999198u},
             {Action::AddLibraryField, 485271801915688615u},
             {Action::Replay, 4945931994235218614u},
             {Action::ChangeWorld, 15257362253210631884u},
             {Action::AdvanceTwice, 15688376411632212238u},
         }},
    };
}

} // namespace hostile
