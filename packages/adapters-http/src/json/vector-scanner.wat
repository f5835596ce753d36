;; Whether the bytes at the start of the memory are one JSON text (RFC 8259, section 2), with vector instructions for strings
;; and whitespace. `node tools/wasm.ts write` assembles it.
;;
;; The text is followed by a zero byte, which is allowed nowhere in JSON, so each scan stops there. A function that skips
;; something returns the position after it, or -1.
(module
  ;; 10 MiB for the text, and 64 KiB so that loads at its end stay within the memory. The system provides a page of it when it
  ;; is written for the first time.
  (memory (export "memory") 161 161)

  (func $isDigit (param $byte i32) (result i32)
    (i32.lt_u (i32.sub (local.get $byte) (i32.const 0x30)) (i32.const 10)))

  ;; Skips spaces, tabs and line ends.
  (func $skipWhitespace (param $at i32) (result i32)
    (local $bytes v128)
    (local $others i32)
    (loop $next
      (if (i32.gt_u (i32.load8_u (local.get $at)) (i32.const 0x20)) (then (return (local.get $at))))
      (local.set $bytes (v128.load align=1 (local.get $at)))
      (local.set $others
        (i32.xor
          (i8x16.bitmask
            (v128.or
              (v128.or
                (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x20)))
                (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x0a))))
              (v128.or
                (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x0d)))
                (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x09))))))
          (i32.const 0xffff)))
      (if (local.get $others) (then (return (i32.add (local.get $at) (i32.ctz (local.get $others))))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br $next))
    (unreachable))

  ;; Skips one or more digits.
  (func $skipDigits (param $at i32) (result i32)
    (if (i32.eqz (call $isDigit (i32.load8_u (local.get $at)))) (then (return (i32.const -1))))
    (loop $next
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $next (call $isDigit (i32.load8_u (local.get $at)))))
    (local.get $at))

  (func $skipNumber (param $at i32) (result i32)
    (local $byte i32)
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x2d)) ;; -
      (then (local.set $at (i32.add (local.get $at) (i32.const 1)))))
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x30)) ;; 0
      (then (local.set $at (i32.add (local.get $at) (i32.const 1))))
      (else
        (local.set $at (call $skipDigits (local.get $at)))
        (if (i32.lt_s (local.get $at) (i32.const 0)) (then (return (i32.const -1))))))
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x2e)) ;; .
      (then
        (local.set $at (call $skipDigits (i32.add (local.get $at) (i32.const 1))))
        (if (i32.lt_s (local.get $at) (i32.const 0)) (then (return (i32.const -1))))))
    (if (i32.ne (i32.or (i32.load8_u (local.get $at)) (i32.const 0x20)) (i32.const 0x65)) ;; e, E
      (then (return (local.get $at))))
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (local.set $byte (i32.load8_u (local.get $at)))
    (if (i32.or (i32.eq (local.get $byte) (i32.const 0x2b)) (i32.eq (local.get $byte) (i32.const 0x2d))) ;; +, -
      (then (local.set $at (i32.add (local.get $at) (i32.const 1)))))
    (call $skipDigits (local.get $at)))

  (func $isHexDigit (param $byte i32) (result i32)
    (i32.or
      (call $isDigit (local.get $byte))
      (i32.lt_u (i32.sub (i32.or (local.get $byte) (i32.const 0x20)) (i32.const 0x61)) (i32.const 6))))

  ;; Skips the escape sequence at a backslash.
  (func $skipEscape (param $at i32) (result i32)
    (local $byte i32)
    (local.set $byte (i32.load8_u offset=1 (local.get $at)))
    (if (i32.eq (local.get $byte) (i32.const 0x75)) ;; u
      (then
        (return
          (select
            (i32.add (local.get $at) (i32.const 6))
            (i32.const -1)
            (i32.and
              (i32.and
                (call $isHexDigit (i32.load8_u offset=2 (local.get $at)))
                (call $isHexDigit (i32.load8_u offset=3 (local.get $at))))
              (i32.and
                (call $isHexDigit (i32.load8_u offset=4 (local.get $at)))
                (call $isHexDigit (i32.load8_u offset=5 (local.get $at)))))))))
    (select
      (i32.add (local.get $at) (i32.const 2))
      (i32.const -1)
      (i32.or
        (i32.or
          (i32.or (i32.eq (local.get $byte) (i32.const 0x22)) (i32.eq (local.get $byte) (i32.const 0x5c))) ;; " \
          (i32.or (i32.eq (local.get $byte) (i32.const 0x2f)) (i32.eq (local.get $byte) (i32.const 0x62)))) ;; / b
        (i32.or
          (i32.or (i32.eq (local.get $byte) (i32.const 0x66)) (i32.eq (local.get $byte) (i32.const 0x6e))) ;; f n
          (i32.or (i32.eq (local.get $byte) (i32.const 0x72)) (i32.eq (local.get $byte) (i32.const 0x74))))))) ;; r t

  ;; The bytes that end a run of plain characters in a string: a quote, a backslash or a control character. Bit n of the
  ;; result belongs to byte n.
  (func $specialsOf16 (param $bytes v128) (result i64)
    (i64.extend_i32_u
      (i8x16.bitmask
        (v128.or
          (v128.or
            (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22)))
            (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c))))
          ;; Control characters: the unsigned minimum with 0x1f is the byte itself.
          (i8x16.eq (i8x16.min_u (local.get $bytes) (i8x16.splat (i32.const 0x1f))) (local.get $bytes))))))

  (func $specialsOf64 (param $at i32) (result i64)
    (i64.or
      (i64.or
        (call $specialsOf16 (v128.load align=1 (local.get $at)))
        (i64.shl (call $specialsOf16 (v128.load offset=16 align=1 (local.get $at))) (i64.const 16)))
      (i64.or
        (i64.shl (call $specialsOf16 (v128.load offset=32 align=1 (local.get $at))) (i64.const 32))
        (i64.shl (call $specialsOf16 (v128.load offset=48 align=1 (local.get $at))) (i64.const 48)))))

  ;; Skips true, false or null.
  (func $skipWord (param $at i32) (result i32)
    (local $word i32)
    (local.set $word (i32.load align=1 (local.get $at)))
    (if (i32.or
          (i32.eq (local.get $word) (i32.const 0x65757274)) ;; true
          (i32.eq (local.get $word) (i32.const 0x6c6c756e))) ;; null
      (then (return (i32.add (local.get $at) (i32.const 4)))))
    (select
      (i32.add (local.get $at) (i32.const 5))
      (i32.const -1)
      (i32.and
        (i32.eq (local.get $word) (i32.const 0x736c6166)) ;; fals
        (i32.eq (i32.load8_u offset=4 (local.get $at)) (i32.const 0x65)))))

  ;; The stack of open brackets overwrites the start of the text: it is never longer than what was read before. Strings are
  ;; handled without a call, which takes as long as a short string.
  (func (export "isJsonText") (param $end i32) (result i32)
    (local $at i32)
    (local $depth i32)
    (local $byte i32)
    ;; The innermost open bracket, or 0.
    (local $opened i32)
    (local $isName i32)
    ;; The 64 bytes at $block have these special bytes.
    (local $block i32)
    (local $specials i64)
    (local $rest i64)
    (local.set $specials (call $specialsOf64 (i32.const 0)))
    (block $invalid
      (loop $value
        (local.set $byte (i32.load8_u (local.get $at)))
        (if (i32.le_u (local.get $byte) (i32.const 0x20))
          (then
            ;; Most often, a single blank.
            (local.set $at (i32.add (local.get $at) (i32.eq (local.get $byte) (i32.const 0x20))))
            (local.set $byte (i32.load8_u (local.get $at)))
            (if (i32.le_u (local.get $byte) (i32.const 0x20))
              (then
                (local.set $at (call $skipWhitespace (local.get $at)))
                (local.set $byte (i32.load8_u (local.get $at)))))))
        (block $ended
          (if (i32.or (local.get $isName) (i32.eq (local.get $byte) (i32.const 0x22))) ;; "
            (then
              (br_if $invalid (i32.ne (local.get $byte) (i32.const 0x22)))
              (local.set $at (i32.add (local.get $at) (i32.const 1)))
              (loop $string
                (if (i32.ge_u (i32.sub (local.get $at) (local.get $block)) (i32.const 64))
                  (then
                    (local.set $block (local.get $at))
                    (local.set $specials (call $specialsOf64 (local.get $at)))))
                (local.set $rest
                  (i64.shr_u (local.get $specials) (i64.extend_i32_u (i32.sub (local.get $at) (local.get $block)))))
                (if (i64.eqz (local.get $rest))
                  (then
                    (local.set $at (i32.add (local.get $block) (i32.const 64)))
                    (br $string)))
                (local.set $at (i32.add (local.get $at) (i32.wrap_i64 (i64.ctz (local.get $rest)))))
                (local.set $byte (i32.load8_u (local.get $at)))
                (if (i32.ne (local.get $byte) (i32.const 0x22))
                  (then
                    (br_if $invalid (i32.ne (local.get $byte) (i32.const 0x5c)))
                    (local.set $at (call $skipEscape (local.get $at)))
                    (br_if $string (i32.ge_s (local.get $at) (i32.const 0)))
                    (br $invalid)))
                (local.set $at (i32.add (local.get $at) (i32.const 1)))
                (local.set $byte (i32.load16_u align=1 (local.get $at)))
                (if (local.get $isName)
                  (then
                    (local.set $isName (i32.const 0))
                    ;; Most often, the value is a string, too.
                    (if (i32.eq (local.get $byte) (i32.const 0x223a)) ;; :"
                      (then
                        (local.set $at (i32.add (local.get $at) (i32.const 2)))
                        (br $string)))
                    (local.set $byte (i32.and (local.get $byte) (i32.const 0xff)))
                    (if (i32.le_u (local.get $byte) (i32.const 0x20))
                      (then
                        (local.set $at (call $skipWhitespace (local.get $at)))
                        (local.set $byte (i32.load8_u (local.get $at)))))
                    (br_if $invalid (i32.ne (local.get $byte) (i32.const 0x3a))) ;; :
                    (local.set $at (i32.add (local.get $at) (i32.const 1)))
                    (br $value)))
                ;; Most often, another string follows.
                (br_if $ended (i32.ne (local.get $byte) (i32.const 0x222c))) ;; ,"
                (br_if $ended (i32.eqz (local.get $opened)))
                (local.set $isName (i32.eq (local.get $opened) (i32.const 0x7b)))
                (local.set $at (i32.add (local.get $at) (i32.const 2)))
                (br $string))
              (unreachable)))
          (if (i32.eq (i32.or (local.get $byte) (i32.const 0x20)) (i32.const 0x7b)) ;; { [
            (then
              (local.set $at (call $skipWhitespace (i32.add (local.get $at) (i32.const 1))))
              ;; The code of a closing bracket is that of its opening bracket plus two.
              (if (i32.eq (i32.load8_u (local.get $at)) (i32.add (local.get $byte) (i32.const 2)))
                (then
                  (local.set $at (i32.add (local.get $at) (i32.const 1)))
                  (br $ended)))
              (i32.store8 (local.get $depth) (local.get $opened))
              (local.set $depth (i32.add (local.get $depth) (i32.const 1)))
              (local.set $opened (local.get $byte))
              (local.set $isName (i32.eq (local.get $byte) (i32.const 0x7b)))
              (br $value)))
          (if (i32.or (i32.eq (local.get $byte) (i32.const 0x2d)) (call $isDigit (local.get $byte)))
            (then (local.set $at (call $skipNumber (local.get $at))))
            (else (local.set $at (call $skipWord (local.get $at)))))
          (br_if $invalid (i32.lt_s (local.get $at) (i32.const 0))))
        ;; A value has ended, and possibly the arrays and objects that contain it.
        (loop $close
          (local.set $byte (i32.load8_u (local.get $at)))
          (if (i32.le_u (local.get $byte) (i32.const 0x20))
            (then
              (local.set $at (call $skipWhitespace (local.get $at)))
              (local.set $byte (i32.load8_u (local.get $at)))))
          (if (i32.eqz (local.get $opened)) (then (return (i32.eq (local.get $at) (local.get $end)))))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (if (i32.eq (local.get $byte) (i32.const 0x2c)) ;; ,
            (then
              (local.set $isName (i32.eq (local.get $opened) (i32.const 0x7b)))
              (br $value)))
          (br_if $invalid (i32.ne (local.get $byte) (i32.add (local.get $opened) (i32.const 2))))
          (local.set $depth (i32.sub (local.get $depth) (i32.const 1)))
          (local.set $opened (i32.load8_u (local.get $depth)))
          (br $close))))
    (i32.const 0)))
