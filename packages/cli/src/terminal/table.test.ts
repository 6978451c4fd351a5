import { describe, expect, it } from 'vitest'
import { formatTable } from './table.js'

describe('a table', () => {
  it('aligns words to the left and numbers to the right, ignoring styles', () => {
    expect(
      formatTable(
        ['name', 'value'],
        [
          ['a', '1'],
          ['\x1b[32mlonger\x1b[39m', '12.5'],
        ],
      ),
    ).toBe('name    value\na           1\n\x1b[32mlonger\x1b[39m   12.5')
  })

  it('removes control characters, so that values cannot move the cursor', () => {
    expect(formatTable(['name'], [['a\rb\nc']])).toBe('name\na?b?c')
  })
})
