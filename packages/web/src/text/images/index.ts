import { defineText } from '../define'
import { en } from './en'

export const images = defineText(en, { zh: async () => (await import('./zh')).zh })
