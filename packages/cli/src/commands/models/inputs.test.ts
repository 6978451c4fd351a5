import { expect, test } from 'vitest'
import { inputsPage } from './inputs.js'

test('lists each column with its unit and its training values, then the images', () => {
  const missing = { read_as: 'mean', value: 54.2, seen: true } as const
  const marks = { decimal: '.', thousands: '' } as const
  const page = inputsPage({
    model_id: 'm',
    images: { columns: ['image'], required: true },
    columns: [
      {
        ...{ name: 'fat', kind: 'numeric', unit: '%', marks, range: { low: 8, high: 43.5 }, missing },
        ...{ categories: null, more_categories: false },
      },
      {
        ...{ name: 'sex', kind: 'categorical', unit: null, marks: null, range: null, missing },
        ...{ categories: ['f', 'm'], more_categories: true },
      },
    ],
  })
  const lines = page.split('\n').map((line) => line.split(/ {2,}/))
  expect(lines.slice(1)).toEqual([
    ['fat', '%', '8.000 to 43.500', 'mean'],
    ['sex', '–', 'f, m, others', 'mean'],
    ['image', '–', 'image, required', 'refused'],
  ])
})
