import type { Translation } from '../define'
import type { en } from './en'

export const zh: Translation<typeof en> = {
  format: '格式',
  write: '写入',
  writing: '正在写入…',
  html: '网页（HTML）',
  markdown: 'Markdown',
  pdf: 'PDF',
  word: 'Word',
}
