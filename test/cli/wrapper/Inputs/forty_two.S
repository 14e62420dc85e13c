#define RESULT 42
        .globl  forty_two
        .type   forty_two, @function
forty_two:
        movl    $RESULT, %eax
        ret
        .section .note.GNU-stack,"",@progbits
