export const studyResults = {
  not_pooled: '因缺少训练而未合并：{trainings}',
  pooled_rare_performance:
    '{metric} {value}（95% CI {low} 至 {high}）在医学中少见：请检查是否有输入泄露了标签',
  pooled_few: '只有 {count} 名患者：合并预测的区间可能偏窄',
  pooled_few_of_class: '某类别只有 {count} 名患者：合并预测的区间可能偏窄',
  pooled_few_with_event: '只有 {count} 名患者发生事件：合并预测的区间可能偏窄',
  pooled_few_of_answer: '标签的某个取值只有 {count} 名患者：合并预测的区间可能偏窄',
  bootstrap_and_seeds: '{bootstrap}，并计入 {sets} 个种子与重复之间的方差',
  trainings_excluded: '排除 {count} 次训练，因为 {metric} 未定义，或该种子缺少某一折',
  fewer_than_two_folds: '两者的 {metric} 都有定义的折不足两个',
  trainings_without_counterpart: '排除 {count} 次训练，因为另一变体没有对应的训练',
}
