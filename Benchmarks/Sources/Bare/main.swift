// What a Swift program costs that does nothing but print.
print("usage: bare-program")
