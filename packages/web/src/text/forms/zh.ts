import type { Translation } from '../define'
import type { en } from './en'

export const zh: Translation<typeof en> = {
  required: '必填',
  default: ({ value }) => `默认：${value}`,
  range: ({ low, high }) => `${low} 至 ${high}`,
  rangeFrom: ({ low }) => `不小于 ${low}`,
  rangeTo: ({ high }) => `不大于 ${high}`,
  none: '无',
  changed: '与默认不同',
  reset: ({ name }) => `将 ${name} 恢复为默认值`,
  on: '开',
  notNumber: '需要一个数字。',
  notWhole: '需要一个整数。',
  notYaml: '不是合法的 YAML。',
  list: '每行一个。',
  value: '以 YAML 书写。',
  search: '搜索设置',
  found: ({ count }) => `${count} 项设置符合`,
}
