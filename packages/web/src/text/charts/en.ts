import type { Messages } from '../define'

export const en = {
  step: 'Step',
  raw: ({ name }: { name: string }) => `${name}, not smoothed`,
} satisfies Messages
