import { METRICS, type MetricName } from '@medloom/contracts/plain'
import type { Translation } from '../define'
import type { en } from './en'

const names = Object.fromEntries(Object.entries(METRICS).map(([name, { label }]) => [name, label.zh])) as {
  readonly [Name in MetricName]: string
}

export const zh: Translation<typeof en> = {
  ...names,
  'of.val': ({ name }) => `${name}（验证）`,
  'of.train': ({ name }) => `${name}（训练）`,
  'of.batch': ({ name }) => `${name}（每批）`,
  'of.validation': '验证',
  'of.training': '训练',
  'of.learningRate': '学习率',
  'of.speed': '每秒病例数',
}
