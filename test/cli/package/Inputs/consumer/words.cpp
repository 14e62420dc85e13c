#include <string>

std::string words;

const char *add_word(const char *word) {
  words += word;
  words += ' ';
  return words.c_str();
}
