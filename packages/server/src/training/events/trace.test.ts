import { describe, expect, it } from 'vitest'
import { traceOf } from './trace.js'

describe('the trace', () => {
  const traceback = [
    'epoch 3',
    'Traceback (most recent call last):',
    '  File "/opt/app/train.py", line 12, in <module>',
    '    main("patient 4711")',
    '  File "/opt/app/data.py", line 3, in read_row',
    '    raise ValueError(value)',
    'ValueError: age of patient 4711 is 230',
  ]

  it('contains code locations and the type of the exception, and nothing that could quote a patient', () => {
    expect(traceOf(traceback.join('\n'))).toBe(
      [
        'Traceback (most recent call last):',
        '  File "/opt/app/train.py", line 12, in <module>',
        '  File "/opt/app/data.py", line 3, in read_row',
        'ValueError',
      ].join('\n'),
    )
  })

  it('shows the location of a crash outside of Python', () => {
    const crash =
      'Fatal Python error: Segmentation fault\n\nCurrent thread 0x00 (most recent call first):\n  File "/opt/a.py", line 1 in f\n'
    expect(traceOf(crash)).toContain('  File "/opt/a.py", line 1, in f')
  })

  it('is the last one, and null if there is none', () => {
    expect(traceOf([...traceback, 'went on', ...traceback.slice(1, 3), 'KeyError: 7'].join('\n'))).toBe(
      'Traceback (most recent call last):\n  File "/opt/app/train.py", line 12, in <module>\nKeyError',
    )
    expect(traceOf('all is well\n')).toBeNull()
  })
})
