# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What one asks of a shop's orders: sums by group, texts taken apart and put
# together, objects rewritten, paths, and a text of JSON within a text.

def total: [.items[] | .count * .price] | add;

def initials: split(" ") | map(.[0:1] | ascii_upcase) | join(".");

def compact: walk(
  if type == "object" then with_entries(select(.value != null and .value != ""))
  elif type == "string" then ascii_downcase
  else . end);

. as $orders
| (group_by(.country)[]
   | {country: .[0].country, orders: length,
      buyers: (map(.buyer.name) | unique | length),
      total: (map(total) | add | floor)}),
  (map({key: .buyer.name, value: total}) | group_by(.key)
   | map({(.[0].key): (map(.value) | add)}) | add
   | to_entries | sort_by(-.value, .key) | .[0:20][]
   | "\(.key | initials): \(.value | floor)"),
  (reduce ($orders[] | .items[] | .tags[]) as $tag ({}; .[$tag] += 1)),
  ($orders[] | select(.note | contains("ba")) | compact
   | [.id, .buyer.name, (.note | explode | map(. + 1) | implode)] | @csv),
  ($orders | map(.extra | fromjson | .levels) | flatten | length),
  ($orders[] | select(.id % 7 == 0) | [paths(numbers)] | length),
  ($orders | map(.note | @base64 | length) | add),
  ($orders | map(tojson | length) | add)
