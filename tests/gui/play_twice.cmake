# Plays a script twice, each time in a fresh folder, and compares every picture bit for bit:
# cmake -DDEMO=... -DSCRIPT=... -DWORK=... -DPICTURES="a.png;b.png" -P play_twice.cmake
foreach(round IN ITEMS first second)
    file(REMOVE_RECURSE "${WORK}/${round}")
    file(MAKE_DIRECTORY "${WORK}/${round}")
    execute_process(COMMAND "${DEMO}" --headless --script "${SCRIPT}" WORKING_DIRECTORY "${WORK}/${round}"
        RESULT_VARIABLE result ERROR_VARIABLE message)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "exit status ${result}: ${message}")
    endif()
endforeach()
foreach(picture IN LISTS PICTURES)
    file(SHA256 "${WORK}/first/${picture}" first)
    file(SHA256 "${WORK}/second/${picture}" second)
    if(NOT first STREQUAL second)
        message(FATAL_ERROR "${picture} differs between two runs: ${first} and ${second}")
    endif()
endforeach()
