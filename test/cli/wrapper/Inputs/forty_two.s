        .globl  forty_two
        .type   forty_two, @function
forty_two:
        movl    $42, %eax
        ret
        .section .note.GNU-stack,"",@progbits
