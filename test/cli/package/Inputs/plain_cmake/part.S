        .globl  seven
        .type   seven, @function
seven:
        movl    $7, %eax
        ret
        .section .note.GNU-stack,"",@progbits
