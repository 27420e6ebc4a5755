# What the documents show compiles.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME document.blocks_compile COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_LIST_DIR}/compile.py
  ${PROJECT_SOURCE_DIR} ${CMAKE_CXX_COMPILER} -std=c++20 -Wall -Wextra -Wno-empty-body -Wno-return-type -Werror
  -I${PROJECT_SOURCE_DIR}/include)
set_tests_properties(document.blocks_compile PROPERTIES LABELS native TIMEOUT 300)

# And where they lead is there.
add_test(NAME document.links COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_LIST_DIR}/links.py ${PROJECT_SOURCE_DIR})
set_tests_properties(document.links PROPERTIES LABELS native)

# Pictures say what the tables do.
add_test(NAME document.bars COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_LIST_DIR}/bars.py ${PROJECT_SOURCE_DIR})
set_tests_properties(document.bars PROPERTIES LABELS native)

# And the map of the source has what the source has.
add_test(NAME document.map COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_LIST_DIR}/map.py ${PROJECT_SOURCE_DIR})
set_tests_properties(document.map PROPERTIES LABELS native)
