// Stands in the way of Highway.
#pragma once
#error "the installed headers of Substep include Highway"
