import type { Translation } from '../define'
import type { en } from './en'

export const zh: Translation<typeof en> = {
  format: '格式',
  write: '生成',
  writing: '正在生成…',
  html: '网页（HTML）',
  markdown: 'Markdown',
  pdf: 'PDF',
  word: 'Word',
}
