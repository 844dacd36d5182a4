// Nothing but the headers that all tests share, which CMakeLists.txt has compiled once.
