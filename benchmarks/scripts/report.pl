# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: perl report.pl ROUNDS <TEXT
#
# What Perl is used for: lines read, taken apart by regular expressions, counted
# in hashes of hashes, sorted, formatted, substituted; records packed and
# unpacked; objects with closures. Prints a checksum a part; nothing depends on
# the order of a hash. No module is loaded, so that perl's core alone runs it.

my $rounds = shift // '';
if ($rounds !~ /^[1-9]\d*$/) {
  print STDERR "usage: perl report.pl ROUNDS <TEXT\n";
  exit 2;
}

sub checksum {
  my ($sum, $value) = @_;
  $sum = (($sum ^ $value) * 40503 + 12345) & 0xFFFFFFFFFFF;
  return $sum ^ ($sum >> 13);
}

sub checksum_text {
  my ($sum, $text) = @_;
  return checksum($sum, unpack('%32C*', $text) + 7 * length $text);
}

my $state = 10;

sub chance {
  $state = ($state * 1103515245 + 12345) & 0x7FFFFFFF;
  return ($state >> 8) % $_[0];
}

# Words counted by their beginning, and the most frequent of each printed.
sub count_words {
  my ($lines) = @_;
  my %count;
  for my $line (@$lines) {
    $count{substr $_, 0, 2}{$_}++ for $line =~ /(\w+)/g;
  }
  my $sum = 0;
  for my $start (sort keys %count) {
    my $words = $count{$start};
    my @best =
      sort { $words->{$b} <=> $words->{$a} || $a cmp $b } keys %$words;
    splice @best, 5 if @best > 5;
    $sum = checksum_text($sum,
      sprintf '%-4s %s', $start, join ', ', map {"$_=$words->{$_}"} @best);
  }
  return $sum;
}

# Substitutions one after the other, with code, back-references and look-ahead.
sub rewrite {
  my ($lines) = @_;
  my $sum = 0;
  for my $original (@$lines) {
    my $line = $original;
    $line =~ s/\b(\w)(\w*)\b/\u$1\L$2/g;
    $line =~ s/(\w+)a (?=\w+o\b)/[$1]/g;
    $line =~ s/([aeiou])\w\1/length($&) . $1/ge;
    $line =~ tr/a-y/b-z/;
    $line =~ s/^\s+|[.\s]+$//g;
    $sum = checksum_text($sum, $line);
  }
  return $sum;
}

# Fields: split, joined, sorted by several keys, written as a table.
sub tabulate {
  my ($lines) = @_;
  my @rows;
  for my $line (@$lines) {
    my @words = split ' ', $line;
    push @rows, { words => scalar @words, first => $words[0],
      length => length $line, key => join '-', reverse @words };
  }
  my $sum = 0;
  for my $row (
    sort {
           $a->{words} <=> $b->{words}
        || $b->{length} <=> $a->{length}
        || $a->{key} cmp $b->{key}
    } @rows
    )
  {
    $sum = checksum_text($sum,
      sprintf '%3d|%-12s|%5.1f|%s', $row->{words}, $row->{first},
      $row->{length} / $row->{words}, uc $row->{key});
  }
  return $sum;
}

# Binary records: packed into one string, unpacked by an index of it.
sub pack_records {
  my ($count) = @_;
  my ($data, @index) = ('');
  for my $number (1 .. $count) {
    push @index, length $data;
    $data .= pack 'NnC/a*w', $number, chance(65536), 'x' x chance(20),
      chance(100000);
  }
  my $sum = 0;
  for my $at (reverse @index) {
    my ($number, $short, $text, $packed) =
      unpack 'NnC/a*w', substr $data, $at, 40;
    $sum = checksum($sum, $number + $short + length($text) + $packed);
  }
  return $sum;
}

package Account;

sub new {
  my ($class, $name) = @_;
  my @history;
  return bless {
    name    => $name,
    balance => 0,
    note    => sub { push @history, @_; scalar @history },
    history => sub { return @history },
  }, $class;
}

sub move {
  my ($self, $amount) = @_;
  $self->{balance} += $amount;
  return $self->{note}->($amount);
}

package Savings;
our @ISA = ('Account');

sub move {
  my ($self, $amount) = @_;
  return 0 if $self->{balance} + $amount < 0;
  return $self->SUPER::move($amount);
}

package main;

# Objects of two classes, with closures over what only they see.
sub trade {
  my ($count) = @_;
  my %accounts;
  for my $number (0 .. 99) {
    my $class = $number % 3 ? 'Account' : 'Savings';
    $accounts{"account $number"} = $class->new($number);
  }
  my $moves = 0;
  for (1 .. $count) {
    my $account = $accounts{ 'account ' . chance(100) };
    $moves += $account->move(chance(2000) - 900);
  }
  my $sum = $moves;
  for my $name (sort keys %accounts) {
    my $total = 0;
    $total += $_ for $accounts{$name}{history}->();
    die "$name does not add up\n" if $total != $accounts{$name}{balance};
    $sum = checksum($sum, $total & 0xFFFFFF);
  }
  return $sum;
}

my @lines = <STDIN>;
my %sums;
for (1 .. $rounds) {
  my %parts = (
    words   => count_words(\@lines),
    rewrite => rewrite(\@lines),
    table   => tabulate(\@lines),
    records => pack_records(scalar @lines),
    objects => trade(4 * @lines),
  );
  $sums{$_} = checksum($sums{$_} // 0, $parts{$_}) for keys %parts;
}
printf "%s %011x\n", $_, $sums{$_} for sort keys %sums;
