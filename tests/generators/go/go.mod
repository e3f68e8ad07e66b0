module fairshoe.example/client

go 1.19

require gopkg.in/validator.v2 v2.0.0

// Only Go's own proxy has it (validator/validator.go).
replace gopkg.in/validator.v2 => ./validator
