import { defineText } from '../define'
import { en } from './en'

export const parts = defineText(en, { zh: async () => (await import('./zh')).zh })
